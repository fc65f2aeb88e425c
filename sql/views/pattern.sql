-- Items that gold and all systems answer alike, counted: a row for each combination of answers.
--
-- reads:   answers (item, run_set, gold, one column per system)
-- params:  none
-- returns: pattern, n, run_set, gold
--
-- pattern is the first item of its kind, after gold comes a column for each system. What is
-- counted of patterns, each n times, is what would be counted of items: only what needs their
-- sentences or texts goes back to these.
select
  min(item)::uinteger as pattern,
  count(*)::bigint as n,
  columns(* exclude (item))
from answers
group by all
