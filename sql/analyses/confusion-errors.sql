-- The confusion of what is wrong alone: equal labels may be wrong too, as by their head.
--
-- reads:   tally (n, system, label_gold, label, correct)
-- params:  none
-- returns: system, gold, answer, n
select
  system,
  label_gold as gold,
  label as answer,
  sum(n)::bigint as n
from tally
where not correct
group by all
order by
  system nulls last,
  gold nulls last,
  answer nulls last
