-- Which system alone solves what: items that it has right and no other, by label.
--
-- reads:   answer_list (gold, answers), system (number, system)
-- params:  system, limit = 50
-- returns: system, label, items
--
-- system: all by default.
with solved as (
  select
    gold,
    answers,
    list_position(answers, gold) as number
  from answer_list
  where gold is not null
)
select
  system.system,
  solved.gold as label,
  count(*)::bigint as items
from solved
join system using (number)
where
  list_position(solved.answers[solved.number + 1:], solved.gold) is null
  and ($system is null or system.system = $system)
group by all
order by
  items desc nulls last,
  system nulls last,
  label nulls last
limit $limit
