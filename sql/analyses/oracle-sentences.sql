-- Sentences (or instances) with an item that no system has right: even a perfect choice loses them.
--
-- reads:   grouped (unit, gold, one column per system), corpus (empty_is_answer)
-- params:  none
-- returns: n
with judged as (
  select
    unit,
    gold,
    (columns(* exclude (unit, gold)) is not distinct from gold)::int as '\0'
  from grouped
),
counted as (
  select
    unit,
    gold,
    list_sum(list_value(*columns(* exclude (unit, gold)))) as solved_by
  from judged
),
lost as (
  select distinct counted.unit
  from counted
  cross join corpus
  where
    solved_by = 0
    and (gold is not null or empty_is_answer)
)
select count(*)::bigint as n
from lost
order by n nulls last
