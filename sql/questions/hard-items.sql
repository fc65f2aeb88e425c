-- Show me the hardest items, and what systems say of them.
--
-- reads:   item (item, form, gold, difficulty), outcome (item, system, answer)
-- params:  most = 0, limit = 20
-- returns: item, form, gold, solved_by, answers
--
-- answers: each with the number of systems that give it, - for none.
with hard as (
  select
    item,
    form,
    gold,
    difficulty::bigint as solved_by
  from item
  where difficulty <= $most
  order by
    difficulty,
    item
  limit $limit
),
vote as (
  select
    outcome.item,
    coalesce(outcome.answer::varchar, '-') as answer,
    count(*) as votes
  from outcome
  semi join hard using (item)
  group by all
),
said as (
  select
    item,
    string_agg(answer || ' ' || votes, ', ' order by votes desc, answer) as answers
  from vote
  group by item
)
select
  hard.item,
  hard.form,
  hard.gold,
  hard.solved_by,
  said.answers
from hard
left join said using (item)
order by
  solved_by nulls last,
  item nulls last
