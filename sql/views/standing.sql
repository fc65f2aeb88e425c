-- The systems from the best: how many items of gold each has right.
--
-- reads:   answers (item, gold, one column per system), system (number, system, column_name)
-- params:  none
-- returns: number, system, correct, place
with counted as (
  select sum((columns(* exclude (item, gold)) = gold)::int)
  from answers
  where gold is not null
),
each as (
  from counted
  unpivot include nulls (correct for name in (columns(*)))
)
select
  system.number,
  system.system,
  coalesce(each.correct, 0)::bigint as correct,
  row_number() over (
    order by
      coalesce(each.correct, 0) desc,
      system.number
  ) as place
from system
left join each on each.name = system.column_name
