-- Show me the hardest items, and what systems say of them.
--
-- reads:   item (item, form, gold, difficulty), answer_list (item, run_set, answers), run_set (run_set, number)
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
said as (
  select
    hard.item,
    answer_list.run_set,
    unnest(answer_list.answers) as answer,
    generate_subscripts(answer_list.answers, 1) as number
  from hard
  join answer_list using (item)
),
voter as (
  select
    item,
    coalesce(answer::varchar, '-') as answer
  from said
  semi join run_set using (run_set, number)
),
vote as (
  select
    *,
    count(*) as votes
  from voter
  group by all
),
named as (
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
  named.answers
from hard
left join named using (item)
order by
  solved_by nulls last,
  item nulls last
