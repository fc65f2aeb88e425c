-- Which forms of one gold label does a system label in several ways?
--
-- reads:   outcome (item, system, gold, answer, outcome), item (item, form), tally (n, number, system, gold, correct)
-- params:  system, least = 3, limit = 20
-- returns: form, gold, items, right, answers
--
-- system: the one with most right by default. - means: no answer.
with best as (
  select system
  from tally
  where
    correct
    and gold is not null
  group by system
  order by
    sum(n) desc,
    min(number)
  limit 1
),
chosen_system as (
  select coalesce($system, (select system from best)) as system
)
select
  item.form,
  outcome.gold,
  count(*)::bigint as items,
  count(*) filter (outcome = 'correct')::bigint as right,
  string_agg(distinct coalesce(outcome.answer::varchar, '-'), ', '
    order by coalesce(outcome.answer::varchar, '-')) as answers
from outcome
join item using (item)
join chosen_system using (system)
where outcome.gold is not null
group by
  item.form,
  outcome.gold
having
  count(*) >= min($least)
  and count(distinct coalesce(outcome.answer::varchar, '-')) > 1
order by
  items - count(*) filter (outcome = 'correct') desc nulls last,
  form nulls last,
  gold nulls last
limit $limit
