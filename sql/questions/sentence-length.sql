-- How good is each system on short and long sentences?
--
-- reads:   outcome (item, system, gold, outcome), item (item, sentence), sentence (sentence, tokens)
-- params:  step = 10
-- returns: system, from_tokens, items, right, share
select
  outcome.system,
  (sentence.tokens // $step * $step)::bigint as from_tokens,
  count(*)::bigint as items,
  count(*) filter (outcome = 'correct')::bigint as right,
  round(count(*) filter (outcome = 'correct') / count(*), 4) as share
from outcome
join item using (item)
join sentence on sentence.sentence = item.sentence
where outcome.gold is not null
group by
  outcome.system,
  from_tokens
order by
  system nulls last,
  from_tokens nulls last
