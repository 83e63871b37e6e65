/* What a call costs by itself: the yardsticks of the benchmark. */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"
#include "port/atomics.h"
#include "utils/uuid.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(bench_empty);
Datum
bench_empty(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(1);
}

/* The same for a type of 16 bytes, which travels behind a pointer. */
PG_FUNCTION_INFO_V1(bench_empty16);
Datum
bench_empty16(PG_FUNCTION_ARGS)
{
	PG_RETURN_UUID_P(palloc0(UUID_LEN));
}

/* The least that an id with the time in it can cost. */
PG_FUNCTION_INFO_V1(bench_clock);
Datum
bench_clock(PG_FUNCTION_ARGS)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	PG_RETURN_INT64(now.tv_sec * INT64CONST(1000000000) + now.tv_nsec);
}

/* The least that an id that no other call has can cost: a word that one caller at a time changes. */
PG_FUNCTION_INFO_V1(bench_swap);
Datum
bench_swap(PG_FUNCTION_ARGS)
{
	static pg_atomic_uint64 word;
	uint64		last = pg_atomic_read_u64(&word);

	while (!pg_atomic_compare_exchange_u64(&word, &last, last + 1))
		;
	PG_RETURN_INT64(last);
}

/* A text, and a uuid, that are there already: what a function of those types costs at least. */
PG_FUNCTION_INFO_V1(bench_text);
Datum
bench_text(PG_FUNCTION_ARGS)
{
	static struct
	{
		int32		header;
		char		data[26];
	}			value;

	SET_VARSIZE(&value, sizeof(value));
	PG_RETURN_POINTER(&value);
}

PG_FUNCTION_INFO_V1(bench_uuid);
Datum
bench_uuid(PG_FUNCTION_ARGS)
{
	static pg_uuid_t value;

	PG_RETURN_UUID_P(&value);
}
