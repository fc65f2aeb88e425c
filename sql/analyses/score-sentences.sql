-- How many sentences (or instances) each system has at least one wrong answer in.
--
-- reads:   grouped (unit, run_set, gold, one column per system), system (number, system, column_name), run_set (run_set, number)
-- params:  none
-- returns: system, n
with said as (
  from grouped
  unpivot include nulls (answer for name in (columns(* exclude (unit, run_set, gold))))
)
select
  system.system,
  count(distinct said.unit) filter (said.answer is distinct from said.gold)::bigint as n
from said
join system on system.column_name = said.name
semi join run_set on run_set.run_set = said.run_set and run_set.number = system.number
group by system.system
order by system nulls last
