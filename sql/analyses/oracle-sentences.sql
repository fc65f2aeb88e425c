-- Sentences (or instances) with an item that no system has right: even a perfect choice loses them.
--
-- reads:   grouped (unit, run_set, gold, one column per system), run_set (run_set, number), corpus (empty_is_answer)
-- params:  none
-- returns: n
with judged as (
  select
    unit,
    run_set,
    gold,
    (columns(* exclude (unit, run_set, gold)) is not distinct from gold)::int as '\0'
  from grouped
),
member as (
  select
    run_set,
    list(number) as numbers
  from run_set
  group by run_set
),
lost as (
  select distinct judged.unit
  from judged
  join member using (run_set)
  cross join corpus
  where
    list_sum(list_select(list_value(*columns(judged.* exclude (unit, run_set, gold))), numbers)) = 0
    and (gold is not null or empty_is_answer)
)
select count(*)::bigint as n
from lost
order by n nulls last
