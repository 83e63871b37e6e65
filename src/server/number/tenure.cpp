#include "server/number/tenure.hpp"

#include "pg/error.hpp"
#include "server/number/directory_numbers.hpp"
#include "server/number/number.hpp"
#include "server/number/server_number.hpp"
#include "server/number/slots.hpp"
#include "server/shared/shared.hpp"

extern "C" {
#include "catalog/pg_authid_d.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/timestamp.h"
}

namespace snowid::server {
namespace {

std::uint64_t packed(const core::WorkerRange &range) { return std::uint64_t{range.first} << 32 | range.last; }

// Makes backends look up again every generator in use whose number is or may be the directory's. When a number is
// configured again, the server may have had it, and the generator begins above that. REQUIRES: the lock of the slots.
void end_numbers_of_directory() {
    shared->slot_changes.fetch_add(1);
    for_each_slot([](Slot &slot) {
        if (takes_number_of_directory(slot.info)) end_number_and_free(slot);
    });
}

// REQUIRES: the lock of the slots.
void keep_range(const core::WorkerRange &range) {
    if (range == directory_range()) return;
    shared->tenure.range.store(packed(range));
    end_numbers_of_directory();
}

// Whether the server makes its ids with the tenure's number. A reload may have changed it to a set number and back.
bool is_in_force(const core::Tenure &tenure) {
    const std::int64_t until_ns = shared->tenure.until_ns.load();
    return until_ns != 0 && until_ns != INT64_MAX &&
           std::all_of(std::begin(kSchemes), std::end(kSchemes),
                       [&](Scheme s) { return server_number(s) == tenure.worker; });
}

// A generator may have had the number, so no other has it when it begins. REQUIRES: the lock of the slots.
void put_tenure_in_force(const core::Tenure &tenure) {
    TenureMemory &memory = shared->tenure;
    memory.until_ns.store(0);
    memory.from_ns.store(tenure.from_ns);
    keep_range(tenure.range);
    for (const Scheme scheme : kSchemes) {
        const core::UnixNanos free = first_free_time(server_info(scheme, tenure.worker), true);
        put_in_force(scheme, tenure.worker, core::UsedUp::all_before(free));
    }
    memory.tenure = tenure;
    memory.until_ns.store(tenure.until_ns, std::memory_order_release);
}

// The database's encoding may lack some of the characters.
char *in_encoding_of_database(const char *utf8) {
    return GetDatabaseEncoding() == PG_UTF8 ? pstrdup(utf8) : pg::shown_in_ascii(utf8, sizeof(DirectoryError::message));
}

// libpq's errors about a connection name hosts and roles.
bool may_see(const DirectoryError &error) {
    return ERRCODE_TO_CATEGORY(error.sqlstate) != ERRCODE_CONNECTION_EXCEPTION ||
           has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
}

const char *detail_of(const DirectoryError &error) {
    if (error.sqlstate == 0) return "The directory has not answered yet.";
    if (!may_see(error) || error.message[0] == '\0') return "The directory does not answer.";
    char *shown = pstrdup(shown_error(error));
    shown[0] = static_cast<char>(pg_toupper(static_cast<unsigned char>(shown[0])));
    return shown[std::strlen(shown) - 1] == '.' ? shown : psprintf("%s.", shown);
}

// The directory's own errors need no rewording.
[[noreturn]] void raise_as_told(const DirectoryError &error) {
    ErrorData relayed{};
    relayed.elevel = ERROR;
    relayed.sqlerrcode = error.sqlstate;
    relayed.message = in_encoding_of_database(error.message);
    relayed.detail = in_encoding_of_database(error.detail);
    relayed.hint = in_encoding_of_database(error.hint);
    relayed.assoc_context = CurrentMemoryContext;
    ThrowErrorData(&relayed);
    pg_unreachable();
}

[[noreturn]] void raise_no_tenure(const DirectoryError &error) {
    count_refusal(shared->default_slot(Scheme::snowflake), "this server has no worker id");
    if (error.detail[0] != '\0' && error.hint[0] != '\0') raise_as_told(error);
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("this server has no worker id"),
             errdetail("%s", detail_of(error)),
             errhint("To see what the directory says, run: SELECT * FROM snowid_worker; A copy for tests needs no "
                     "worker id of the directory: set snowid.worker_id = 0 there.")));
}

[[noreturn]] void raise_tenure_used_up(core::UnixNanos until, const DirectoryReport &report) {
    count_refusal(shared->default_slot(Scheme::snowflake), "the directory does not answer");
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("this server could use its worker id only until %s", pg::shown_time(until)),
             errdetail("The directory has given it no more time since %s. %s", timestamptz_to_str(report.renewed),
                       report.error.sqlstate == 0 ? "" : detail_of(report.error)),
             errhint("Ids resume when it answers. To see what it says, run: SELECT * FROM snowid_worker;")));
}

}  // namespace

const char *shown_error(const DirectoryError &error) {
    const char *message = in_encoding_of_database(error.message);
    return error.detail[0] == '\0' ? message : psprintf("%s: %s", message, in_encoding_of_database(error.detail));
}

TenureView view_tenure() {
    lock_slots(LW_SHARED);
    const TenureView view{shared->tenure.tenure, shared->tenure.report, {shared->tenure.until_ns.load()}};
    unlock_slots();
    return view;
}

void note_directory_answer(std::int64_t clock_difference_ns, std::int32_t free_numbers) {
    lock_slots(LW_EXCLUSIVE);
    shared->tenure.report.clock_difference_ns = clock_difference_ns;
    shared->tenure.report.free_numbers = free_numbers;
    unlock_slots();
}

void note_directory_address(const char *address) {
    lock_slots(LW_EXCLUSIVE);
    strlcpy(shared->tenure.report.address, address, sizeof shared->tenure.report.address);
    unlock_slots();
}

void note_directory_error(const DirectoryError &error) {
    lock_slots(LW_EXCLUSIVE);
    shared->tenure.report.error = error;
    unlock_slots();
}

void close_generators_of_unknown_numbers() {
    lock_slots(LW_EXCLUSIVE);
    end_numbers_of_directory();
    unlock_slots();
}

void install_tenure(const core::Tenure &tenure) {
    lock_slots(LW_EXCLUSIVE);
    if (has_directory()) {
        put_tenure_in_force(tenure);
        shared->tenure.report.since = shared->tenure.report.renewed = GetCurrentTimestamp();
    }
    unlock_slots();
    note_news();
}

void extend_tenure(const core::Tenure &tenure) {
    lock_slots(LW_EXCLUSIVE);
    if (has_directory()) {
        if (is_in_force(tenure)) {
            keep_range(tenure.range);
            shared->tenure.tenure = tenure;
            advance_to(shared->tenure.until_ns, tenure.until_ns);
        } else {
            put_tenure_in_force(tenure);
        }
        shared->tenure.report.renewed = GetCurrentTimestamp();
    }
    unlock_slots();
    note_news();
}

void lose_tenure(const core::Tenure &tenure) {
    lock_slots(LW_EXCLUSIVE);
    shared->tenure.tenure = tenure;
    ++shared->tenure.report.losses;
    unlock_slots();
}

void close_tenure(std::uint32_t twice) {
    lock_slots(LW_EXCLUSIVE);
    if (has_directory()) {
        shared->tenure.until_ns.store(0);
        for (const Scheme scheme : kSchemes) end_number(shared->default_slot(scheme));
        for_each_slot([](Slot &slot) {
            if (slot.info.follows_server) end_number(slot);
        });
        shared->tenure.tenure = {};
    }
    shared->tenure.report.twice = twice;
    shared->tenure.report.twice_at = GetCurrentTimestamp();
    unlock_slots();
}

void note_news() { shared->tenure.news.fetch_add(1); }

core::UnixNanos await_tenure(core::UnixNanos end) {
    core::UnixNanos until{0};
    const auto has_come = [&] {
        until = tenure_end();
        return until >= end;
    };
    if (await_directory(has_come)) return until;
    const DirectoryReport report = view_tenure().report;
    if (until.value == 0) raise_no_tenure(report.error);
    raise_tenure_used_up(until, report);
}

}  // namespace snowid::server
