-- Does an error follow an error? How often the next item is wrong too, by system.
--
-- reads:   outcome (item, system, gold, answer), item (item, sentence)
-- params:  none
-- returns: system, errors, followed, share, chance
--
-- share: of errors that have an item after them in their sentence, chance: of all such items.
with judged as (
  select
    outcome.system,
    outcome.gold is distinct from outcome.answer as wrong,
    lead(outcome.gold is distinct from outcome.answer) over (
      partition by
        outcome.system,
        item.sentence
      order by item.item
    ) as next_wrong
  from outcome
  join item using (item)
)
select
  system,
  count(*) filter (wrong and next_wrong is not null)::bigint as errors,
  count(*) filter (wrong and next_wrong)::bigint as followed,
  round(followed / nullif(errors, 0), 4) as share,
  round(avg(next_wrong::int), 4) as chance
from judged
group by system
order by
  share desc nulls last,
  system nulls last
