-- How far do two golds agree, label by label? One of the systems is the second.
--
-- reads:   cell (n, system, gold, answer), standing (system, correct, place)
-- params:  system
-- returns: label, gold, second, agreed, share
--
-- share: 2 × agreed / (gold + second), which is F1 whichever of the two is taken as right.
with chosen_system as (
  select system
  from standing
  where
    system = $system
    or ($system is null and place = 1 and correct > 0)
),
own as (
  select
    gold as first_label,
    answer as second_label,
    n
  from cell
  join chosen_system using (system)
),
side as (
  select
    first_label as label,
    n as gold,
    0 as second,
    case when first_label = second_label then n else 0 end as agreed
  from own
  where first_label is not null
  union all
  select
    second_label as label,
    0 as gold,
    n as second,
    0 as agreed
  from own
  where second_label is not null
)
select
  label,
  sum(gold)::bigint as gold,
  sum(second)::bigint as second,
  coalesce(sum(agreed), 0)::bigint as agreed,
  round(2 * sum(agreed) / sum(gold + second), 4) as share
from side
group by label
order by
  share nulls last,
  label nulls last
