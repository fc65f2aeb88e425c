-- Which words and sequences of words does one of two systems get right more often than the other?
--
-- reads:   answer_list (item, run_set, gold, answers), standing (number, system, place), run_set (run_set, number)
-- params:  before, after, longest = 4, alpha = 1.0, limit = 20
-- returns: ngram, words, before_right, after_right, share
--
-- Of generated text (compare-mt). An n-gram is right as often as both the reference and the output of
-- a segment have it. share: (after + alpha) / (before + after + 2 alpha), most for the system after.
-- before and after: the second best system and the best by default.
with before_system as (
  select
    number,
    run_set
  from standing
  join run_set using (number)
  where
    standing.system = $before
    or ($before is null and place = 2)
),
after_system as (
  select
    number,
    run_set
  from standing
  join run_set using (number)
  where
    standing.system = $after
    or ($after is null and place = 1)
),
segment as (
  select
    answer_list.item,
    unnest([answer_list.gold, answer_list.answers[before_system.number], answer_list.answers[after_system.number]]) as text,
    unnest(['gold', 'before', 'after']) as layer
  from answer_list
  join before_system using (run_set)
  join after_system using (run_set)
),
word_list as (
  select
    item,
    layer,
    regexp_extract_all(text, '\S+') as words
  from segment
),
sized as (
  select
    item,
    layer,
    words,
    unnest(generate_series(1, $longest)) as n
  from word_list
),
placed as (
  select
    item,
    layer,
    words,
    n,
    unnest(generate_series(1, len(words) - n + 1)) as start
  from sized
  where len(words) >= n
),
counted as (
  select
    item,
    array_to_string(words[start:start + n - 1], ' ') as ngram,
    n,
    count(*) filter (layer = 'gold') as gold,
    count(*) filter (layer = 'before') as before_count,
    count(*) filter (layer = 'after') as after_count
  from placed
  group by all
),
matched as (
  select
    ngram,
    n::bigint as words,
    sum(least(gold, before_count))::bigint as before_right,
    sum(least(gold, after_count))::bigint as after_right
  from counted
  group by all
  having before_right + after_right > 0
)
select
  ngram,
  words,
  before_right,
  after_right,
  (after_right + $alpha)::double / (before_right + after_right + 2 * $alpha) as share
from matched
qualify
  row_number() over (order by share desc, ngram) <= $limit
  or row_number() over (order by share, ngram) <= $limit
order by
  share desc nulls last,
  ngram nulls last
