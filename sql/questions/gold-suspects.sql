-- Where do most systems agree on another answer than gold's?
--
-- reads:   item (item, form), answers (item, run_set, gold, one column per system), answer_list (item, run_set, gold, answers), run_set (run_set, number)
-- params:  least = 2, limit = 20
-- returns: item, form, gold, answer, votes, systems
--
-- No answer is an answer here: where most systems find nothing, gold may have too much.
with judged as (
  select
    item,
    run_set,
    (columns(* exclude (item, run_set, gold)) is distinct from gold)::int
  from answers
),
run_size as (
  select
    run_set,
    count(*)::bigint as systems
  from run_set
  group by run_set
),
-- Elsewhere no other answer has most of the votes.
doubtful as (
  select
    item,
    systems
  from judged
  join run_size using (run_set)
  where 2 * list_sum(list_value(*columns(judged.* exclude (item, run_set)))) > systems
),
said as (
  select
    answer_list.item,
    answer_list.run_set,
    answer_list.gold,
    doubtful.systems,
    unnest(answer_list.answers) as answer,
    generate_subscripts(answer_list.answers, 1) as number
  from answer_list
  join doubtful using (item)
),
vote as (
  select
    item,
    gold,
    systems,
    answer,
    count(*)::bigint as votes
  from said
  semi join run_set using (run_set, number)
  group by all
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
