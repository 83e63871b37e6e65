

# Alembic finds nothing to do.
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

options = {"compare_type": True, "compare_server_default": True}
changes = compare_metadata(MigrationContext.configure(engine.connect(), opts=options), Base.metadata)
assert changes == [], changes
