-- How good is each system on short and long sentences?
--
-- reads:   answers (item, run_set, gold, one column per system), item (item, sentence), sentence (sentence, tokens), system (number, system, column_name), run_set (run_set, number)
-- params:  step = 10
-- returns: system, from_tokens, items, right, share
with counted as (
  select
    (sentence.tokens // $step * $step)::bigint as sentence,
    answers.run_set,
    list_value(count(answers.gold), count_if(columns(answers.* exclude (item, run_set, gold)) is not distinct from answers.gold))
  from answers
  join item using (item)
  join sentence on sentence.sentence = item.sentence
  where answers.gold is not null
  group by
    1,
    answers.run_set
)
select
  system.system,
  counted.sentence as from_tokens,
  sum(counted.n[1])::bigint as items,
  sum(counted.n[2])::bigint as right,
  round(sum(counted.n[2]) / sum(counted.n[1]), 4) as share
from (
  from counted
  unpivot include nulls (n for name in (columns(* exclude (sentence, run_set))))
) as counted
join system on system.column_name = counted.name
semi join run_set on run_set.run_set = counted.run_set and run_set.number = system.number
group by
  system.system,
  counted.sentence
order by
  system nulls last,
  from_tokens nulls last
