-- Before 1.1.0 everybody may use them, with any times.
SELECT snowid_generator_create('given', worker => 900, backfill => true), snowid_generator_create('far', worker => 901, backfill => true);
