-- How often does the majority outvote a system that is right, by label?
--
-- reads:   tally (pattern, n, gold, answer, correct)
-- params:  none
-- returns: label, items, outvoted, share
with vote as (
  select
    pattern,
    gold,
    n,
    answer,
    correct,
    count(*) as votes
  from tally
  where gold is not null
  group by all
),
judged as (
  select
    pattern,
    gold,
    n,
    coalesce(max(votes) filter (correct), 0) as for_gold,
    coalesce(max(votes) filter (not correct), 0) as against
  from vote
  group by all
)
select
  gold as label,
  sum(n)::bigint as items,
  coalesce(sum(n) filter (for_gold > 0 and against > for_gold), 0)::bigint as outvoted,
  round(outvoted / items, 4) as share
from judged
group by label
order by
  share desc nulls last,
  label nulls last
