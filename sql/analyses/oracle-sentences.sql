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
lost as (
  select distinct unit
  from judged
  cross join corpus
  where
    (gold is not null or empty_is_answer)
    and list_sum(list_value(*columns(* exclude (unit, gold, empty_is_answer)))) = 0
)
select count(*)::bigint as n
from lost
order by n nulls last
