-- Buckets of an attribute: gold's items, the systems' answers, and what is right in each bucket.
--
-- reads:   tally (n, number, system, gold, answer, label_gold, label, correct)
-- params:  apart = false
-- returns: bucket, system, gold, predicted, tp, right
--
-- label_gold is the bucket of gold's item and label that of the answer, as the attribute was
-- annotated and cut, nulls and what is out of range have buckets of their own. tp are items of gold
-- in their bucket, right are answers in theirs. apart: what is in another bucket is not right.
with side as (
  select
    label_gold as bucket,
    number,
    system,
    n as gold,
    0 as predicted,
    case when correct and (label = label_gold or not $apart) then n else 0 end as tp,
    0 as right
  from tally
  where gold is not null
  union all
  select
    label as bucket,
    number,
    system,
    0 as gold,
    n as predicted,
    0 as tp,
    case when correct and (label = label_gold or not $apart) then n else 0 end as right
  from tally
  where answer is not null
)
select
  bucket,
  system,
  sum(gold)::bigint as gold,
  sum(predicted)::bigint as predicted,
  sum(tp)::bigint as tp,
  sum(side.right)::bigint as right
from side
group by all
order by
  bucket nulls last,
  system nulls last
