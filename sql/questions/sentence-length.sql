-- How good is each system on short and long sentences?
--
-- reads:   answers (item, gold, one column per system), item (item, sentence), sentence (sentence, tokens), system (system, column_name)
-- params:  step = 10
-- returns: system, from_tokens, items, right, share
with counted as (
  select
    (sentence.tokens // $step * $step)::bigint as sentence,
    list_value(count(answers.gold), count_if(columns(answers.* exclude (item, gold)) is not distinct from answers.gold))
  from answers
  join item using (item)
  join sentence on sentence.sentence = item.sentence
  where answers.gold is not null
  group by 1
)
select
  system.system,
  counted.sentence as from_tokens,
  counted.n[1] as items,
  counted.n[2] as right,
  round(counted.n[2] / counted.n[1], 4) as share
from (
  from counted
  unpivot include nulls (n for name in (columns(* exclude (sentence))))
) as counted
join system on system.column_name = counted.name
order by
  system nulls last,
  from_tokens nulls last
