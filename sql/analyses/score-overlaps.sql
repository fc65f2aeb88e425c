-- How many instances have g gold labels, a labels of the system, and b labels in common.
--
-- reads:   grouped (unit, run_set, gold, one column per system, null where there is no label), system (number, system, column_name), run_set (run_set, number)
-- params:  none
-- returns: system, g, a, b, n
with said as (
  from grouped
  unpivot include nulls (answer for name in (columns(* exclude (unit, run_set, gold))))
),
instance as (
  select
    system.system,
    said.unit,
    count(said.gold) as g,
    count(said.answer) as a,
    coalesce(sum((said.gold = said.answer)::int), 0) as b
  from said
  join system on system.column_name = said.name
  semi join run_set on run_set.run_set = said.run_set and run_set.number = system.number
  group by
    system.system,
    said.unit
)
select
  system,
  g::bigint as g,
  a::bigint as a,
  b::bigint as b,
  count(*)::bigint as n
from instance
group by all
order by
  system nulls last,
  g nulls last,
  a nulls last,
  b nulls last
