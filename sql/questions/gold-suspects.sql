-- Where do most systems agree on another answer than gold's?
--
-- reads:   item (item, form, gold), outcome (item, system, answer)
-- params:  least = 2, limit = 20
-- returns: item, form, gold, answer, votes, systems
--
-- No answer is an answer here: where most systems find nothing, gold may have too much.
with ballot as (
  select
    item,
    gold,
    answer,
    count(*)::bigint as votes
  from outcome
  group by all
),
vote as (
  select
    *,
    sum(votes) over (partition by item)::bigint as systems
  from ballot
)
select
  item,
  item.form,
  vote.gold,
  vote.answer,
  vote.votes,
  vote.systems
from vote
join item using (item)
where
  vote.answer is distinct from vote.gold
  and votes >= $least
  and 2 * votes > systems
order by
  votes / systems desc nulls last,
  item nulls last
limit $limit
