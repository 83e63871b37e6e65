from chat.models import Id
from common import SCHEME
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel("Message", [("id", Id(primary_key=True, serialize=False)), ("body", models.TextField())],
                               options={"db_table": "message", "managed": False}),
        # recipe: migration
        migrations.CreateModel("Note", [("id", Id(primary_key=True, serialize=False)), ("body", models.TextField())],
                               options={"db_table": "note"}),
        migrations.RunSQL(f"ALTER TABLE note ALTER id SET DEFAULT {SCHEME}_next()", migrations.RunSQL.noop),
        # end
    ]
