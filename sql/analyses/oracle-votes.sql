-- Votes: how many items exactly k systems have right, and in how many of these the majority has.
--
-- reads:   tally (pattern, n, number, system, gold, answer, correct, findable)
-- params:  none
-- returns: k, items, majority_correct
--
-- Every system has a vote on every item, also for no answer. Between answers of as many votes that
-- of the system with most right is taken, of equally good systems that of the first.
with ranked as (
  select
    system,
    row_number() over (
      order by
        coalesce(sum(n) filter (correct and findable), 0) desc,
        min(number)
    ) as place
  from tally
  group by system
),
ballot as (
  select
    pattern,
    n,
    gold,
    answer,
    correct,
    count(*) as votes,
    min(place) as best
  from tally
  join ranked using (system)
  where findable
  group by all
),
counted as (
  select
    pattern,
    n,
    coalesce(sum(votes) filter (correct), 0) as k,
    arg_min(correct, (-votes, best)) as majority
  from ballot
  group by all
)
select
  k::bigint as k,
  sum(n)::bigint as items,
  coalesce(sum(n) filter (majority), 0)::bigint as majority_correct
from counted
group by k
order by k nulls last
