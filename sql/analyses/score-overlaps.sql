-- How many instances have g gold labels, a labels of the system, and b labels in common.
--
-- reads:   grouped (unit, gold, one column per system, null where there is no label)
-- params:  none
-- returns: system, g, a, b, n
with answer as (
  select
    unit,
    system,
    gold,
    answer
  from grouped
  unpivot include nulls (answer for system in (columns(* exclude (unit, gold))))
),
instance as (
  select
    system,
    unit,
    count(gold) as g,
    count(answer) as a,
    sum((gold = answer)::int) as b
  from answer
  group by
    system,
    unit
)
select
  system,
  g::bigint as g,
  a::bigint as a,
  coalesce(b, 0)::bigint as b,
  count(*)::bigint as n
from instance
group by all
order by
  system nulls last,
  g nulls last,
  a nulls last,
  b nulls last
