-- On which items do all systems give the same wrong answer: is gold wrong?
--
-- reads:   item (item, form), answer_list (item, run_set, gold, answers), run_set (run_set, number)
-- params:  limit = 20
-- returns: item, form, gold, answer, systems
with member as (
  select
    run_set,
    list(number) as numbers,
    count(*)::bigint as systems
  from run_set
  group by run_set
),
same as (
  select
    answer_list.item,
    answer_list.gold,
    answer_list.answers[member.numbers[1]] as answer,
    member.systems
  from answer_list
  join member using (run_set)
  where
    answer is distinct from answer_list.gold
    -- What most items fail at once, before their lists are looked through.
    and (answer_list.answers[1] is null or answer_list.answers[1] is distinct from answer_list.gold)
    and list_aggregate(answer_list.answers, 'count') = member.systems
    and list_aggregate(answer_list.answers, 'min') = list_aggregate(answer_list.answers, 'max')
)
select
  item,
  item.form,
  same.gold,
  same.answer,
  same.systems
from same
join item using (item)
order by
  item nulls last
limit $limit
