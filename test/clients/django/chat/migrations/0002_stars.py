from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0001_initial")]
    operations = [migrations.AddField("Note", "stars", models.IntegerField(default=0))]
