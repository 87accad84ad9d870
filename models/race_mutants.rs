//! The mutants of the search for races, `shmem-races`: each has one rule that is wrong.
//!
//! `build.rs` makes one copy of the files for all of them, in which the text that a mutant replaces is a
//! choice between both. So the texts are expressions or statements.

/// The files, in `shmem-races/src`, and the modules that they are.
pub(crate) const FILES: [(&str, &str); 6] = [
    ("cells", "cells.rs"),
    ("checker", "checker.rs"),
    ("clock", "clock.rs"),
    ("history", "history.rs"),
    ("pe", "pe.rs"),
    ("why", "why.rs"),
];

/// Name, module, what is there once, and what stands there instead.
pub(crate) const MUTANTS: &[[&str; 4]] = &[
    [
        "quiet_completes_all_contexts",
        "checker",
        "self.complete(me, |stream| stream.ctx == ctx);",
        "self.complete(me, |_| true);",
    ],
    [
        "pe_quiet_completes_all_pes",
        "checker",
        "self.complete(me, |stream| stream.ctx == ctx && stream.target == pe);",
        "self.complete(me, |stream| stream.ctx == ctx);",
    ],
    [
        "pe_quiet_completes_all_contexts",
        "checker",
        "self.complete(me, |stream| stream.ctx == ctx && stream.target == pe);",
        "self.complete(me, |stream| stream.target == pe);",
    ],
    [
        "a_phase_completes_one_context",
        "checker",
        "self.complete(me, |_| true)",
        "self.complete(me, |stream| stream.ctx == 0)",
    ],
    [
        "a_quiet_completes_what_comes_later",
        "checker",
        "(open.puts, open.gets, open.data) = (None, None, None);",
        "",
    ],
    [
        "a_fence_completes",
        "checker",
        "batch.fenced = Some(count);",
        "batch.fenced = Some(count);\n batch.completed = Some(pe.clock.times[me]);",
    ],
    ["a_fence_orders_what_comes_later", "checker", "(open.puts, open.data) = (None, None);", ""],
    ["a_fence_orders_reads", "checker", "access.kind == Kind::GetNbi", "false"],
    [
        "a_fence_orders_no_own_puts",
        "checker",
        "goes_after || arrived.is_some_and(|arrived| *arrived >= fenced)",
        "arrived.is_some_and(|arrived| *arrived >= fenced)",
    ],
    ["a_fence_orders_puts_to_all_pes", "checker", "batch.stream == stream(me, access)", "true"],
    [
        "a_meeting_completes_puts",
        "checker",
        "self.arrive(me, meeting)",
        "{ self.complete(me, |_| true); self.arrive(me, meeting) }",
    ],
    [
        "a_meeting_orders_what_comes_later",
        "checker",
        "gathering.clock.join(&self.pes[me].snapshot());",
        "gathering.clock.join(&self.pes[me].clock.clone());",
    ],
    ["a_meeting_tells_nothing", "checker", "self.pes[me].learn(&gathering.clock, learned);", ""],
    [
        "a_broadcast_tells_of_all",
        "checker",
        "meeting.root.is_none_or(|root| usize::from(root) == me)",
        "true",
    ],
    ["a_wait_learns_nothing", "checker", "pe.learn(clock, learned);", "let _ = clock;"],
    [
        "a_wait_learns_of_all_cells",
        "checker",
        "pe.learn(clock, learned);",
        "self.cells.passed.iter().for_each(|cell| pe.learn(&cell.clock, learned));",
    ],
    ["a_set_passes_on_what_was_before", "checker", "kind != Kind::AtomicSet", "true"],
    ["an_update_passes_on_nothing_before", "checker", "kind != Kind::AtomicSet", "false"],
    [
        "a_signal_does_not_order_its_data",
        "checker",
        "Rc::make_mut(&mut passed).signalled.insert(data);",
        "let _ = data;",
    ],
    ["a_signal_orders_other_puts", "checker", "open.data.take()", "open.data.take().and(open.puts)"],
    [
        "a_put_is_over_at_once",
        "checker",
        "kind.is_pending(usize::from(owner) == me)",
        "kind.is_pending(usize::from(owner) == me) && kind != Kind::Put",
    ],
    [
        "a_non_blocking_read_is_over_at_once",
        "checker",
        "kind.is_pending(usize::from(owner) == me)",
        "kind.is_pending(usize::from(owner) == me) && kind != Kind::GetNbi",
    ],
    [
        "an_update_with_a_value_proves_no_fence",
        "checker",
        "self.pes[me].learn_own_fences(stream(me, access));",
        "",
    ],
    [
        "what_is_completed_is_known",
        "checker",
        "batch.completed.is_some_and(knows)",
        "batch.completed.is_some()",
    ],
    [
        "what_one_knows_is_forgotten",
        "checker",
        "pes.iter().all(|other| other.clock.times[usize::from(pe)] >= time)",
        "pes.iter().any(|other| other.clock.times[usize::from(pe)] >= time)",
    ],
    [
        "what_is_under_way_is_forgotten",
        "checker",
        "batch.completed.is_some_and(|time| known(record.pe, time))",
        "{ let _ = batch; known(record.pe, record.time) }",
    ],
    [
        "a_strided_access_covers_its_gaps",
        "checker",
        "history.access(usize::from(owner), span, record, &ordered, &mut race);",
        "let len = u64::from(span.count - 1) * span.stride + u64::from(span.len);\n history.access(usize::from(owner), Span::contiguous(span.offset, len as u32), record, &ordered, &mut race);",
    ],
    [
        "a_strided_access_is_its_first_piece",
        "checker",
        "history.access(usize::from(owner), span, record, &ordered, &mut race);",
        "history.access(usize::from(owner), Span { count: 1, ..span }, record, &ordered, &mut race);",
    ],
    [
        "a_new_object_has_a_past",
        "history",
        "std::mem::take(&mut page[word as usize % PAGE])",
        "page[word as usize % PAGE]",
    ],
    [
        "memory_is_freed_under_a_put",
        "history",
        "!ordered(earlier)",
        "!ordered(earlier) && earlier.batch == NO_BATCH",
    ],
    ["two_reads_race", "history", "self.kind.writes() || other.kind.writes()", "true"],
    [
        "a_read_and_a_write_do_not_race",
        "history",
        "self.kind.writes() || other.kind.writes()",
        "self.kind.writes() && other.kind.writes()",
    ],
    ["words_race_and_not_bytes", "history", "bytes & mask", "mask"],
    [
        "a_read_stands_for_a_write",
        "history",
        "record.is_stronger(&earlier)",
        "(record.is_stronger(&earlier) || !record.kind.is_atomic() && !earlier.kind.is_atomic())",
    ],
    [
        "a_write_under_way_stands_for_other_contexts",
        "history",
        "(self.pe, self.ctx) == (other.pe, other.ctx)",
        "self.pe == other.pe",
    ],
    [
        "an_access_is_forgotten_with_a_part",
        "history",
        "if is_covered { bytes & !mask } else { bytes }",
        "if is_covered { 0 } else { bytes }",
    ],
    ["times_stand_still", "pe", "self.clock.times[me] += 1;", ""],
    [
        "fences_of_all_streams_have_arrived",
        "pe",
        "clock.fenced.insert(stream, fences);",
        "clock.fenced.extend(self.open.keys().map(|stream| (*stream, fences)));",
    ],
    ["a_join_forgets_fences", "clock", "*mine = (*mine).max(*fences);", "let _ = (mine, fences);"],
    ["a_join_forgets_times", "clock", "*mine = (*mine).max(*theirs);", "*mine = *theirs;"],
    ["a_join_forgets_signals", "clock", "self.signalled.extend(&other.signalled);", ""],
];
