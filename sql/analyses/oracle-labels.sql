-- Upper bound by label: how many items some system has right (Tuggener 2017).
--
-- reads:   tally (pattern, n, label_gold, correct)
-- params:  none
-- returns: label, items, oracle_correct
with found as (
  select
    label_gold as label,
    n,
    bool_or(correct) as anyone
  from tally
  group by
    pattern,
    label_gold,
    n
)
select
  label,
  sum(n)::bigint as items,
  coalesce(sum(n) filter (anyone), 0)::bigint as oracle_correct
from found
group by label
order by label nulls last
