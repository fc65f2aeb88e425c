-- How many sentences does each system have wholly right, and which alone?
--
-- reads:   answers (item, run_set, gold, one column per system), item (item, sentence), run_set (run_set, number, system)
-- params:  none
-- returns: system, sentences, perfect, alone
--
-- Sentences without any item are not counted.
with judged as (
  select
    item.sentence,
    answers.run_set,
    bool_and(columns(answers.* exclude (item, run_set, gold)) is not distinct from answers.gold)
  from answers
  join item using (item)
  group by
    item.sentence,
    answers.run_set
),
listed as (
  select
    sentence,
    run_set,
    list_value(*columns(* exclude (sentence, run_set))) as perfect
  from judged
),
each as (
  select
    run_set.system,
    listed.perfect[run_set.number] as perfect,
    count_if(listed.perfect[run_set.number]) over (partition by listed.sentence) as by_systems
  from listed
  join run_set using (run_set)
)
select
  system,
  count(*)::bigint as sentences,
  count(*) filter (perfect)::bigint as perfect,
  count(*) filter (each.perfect and by_systems = 1)::bigint as alone
from each
group by system
order by
  perfect desc nulls last,
  system nulls last
