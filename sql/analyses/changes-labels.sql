-- How many items of each label of gold every system has right, among those that are there.
--
-- reads:   tally (n, system, label_gold, correct)
-- params:  none
-- returns: system, label, items, correct
--
-- The difference between two systems is that of their rows.
select
  system,
  label_gold as label,
  sum(n)::bigint as items,
  coalesce(sum(n) filter (correct), 0)::bigint as correct
from tally
group by all
order by
  system nulls last,
  label nulls last
