-- What do nearly all systems predict where gold has nothing: is gold wrong?
--
-- reads:   item (item, form, spurious), answer_list (item, gold, answers)
-- params:  least = 2, limit = 20
-- returns: item, form, predicted, votes, systems
--
-- votes are for the most frequent label, systems all that predict something.
with voter as (
  select
    item,
    unnest(answers) as answer
  from answer_list
  where gold is null
),
vote as (
  select
    item,
    answer,
    count(*)::bigint as votes
  from voter
  where answer is not null
  group by all
),
most as (
  select
    item,
    arg_max(answer::varchar, (votes, answer::varchar)) as predicted,
    max(votes) as votes
  from vote
  group by item
)
select
  item,
  item.form,
  predicted,
  votes,
  item.spurious::bigint as systems
from most
join item using (item)
where votes >= $least
order by
  votes desc nulls last,
  item nulls last
limit $limit
