-- Spurious answers of a majority vote: items without gold that most systems answer.
--
-- reads:   tally (pattern, n, number, system, answer, correct, findable)
-- params:  none
-- returns: n
--
-- Votes are counted as by oracle-votes.
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
    answer,
    count(*) as votes,
    min(place) as best
  from tally
  join ranked using (system)
  where not findable
  group by all
),
winner as (
  select
    pattern,
    n,
    arg_min(answer is not null, (-votes, best)) as said
  from ballot
  group by all
)
select coalesce(sum(n) filter (said), 0)::bigint as n
from winner
order by n nulls last
