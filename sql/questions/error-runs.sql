-- Does an error follow an error? How often the next item is wrong too, by system.
--
-- reads:   answers (item, run_set, gold, one column per system), item (item, sentence), run_set (run_set, number, system)
-- params:  none
-- returns: system, errors, followed, share, chance
--
-- share: of errors that have an item after them in their sentence, chance: of all such items.
with judged as (
  select
    item,
    run_set,
    columns(* exclude (item, run_set, gold)) is distinct from gold
  from answers
),
place as (
  select
    item,
    lead(item) over (
      partition by sentence
      order by item
    ) as next
  from item
),
wrong as (
  select
    item,
    run_set,
    list_value(*columns(* exclude (item, run_set))) as wrong
  from judged
),
-- Few combinations of systems are wrong together: counted before there is a row for each system.
followed_by as (
  select
    this.run_set,
    this.wrong,
    next.wrong as next_wrong,
    count(*) as n
  from place
  join wrong as this on this.item = place.item
  join wrong as next on next.item = place.next
  group by all
)
select
  run_set.system,
  coalesce(sum(n) filter (followed_by.wrong[run_set.number]), 0)::bigint as errors,
  coalesce(sum(n) filter (
    followed_by.wrong[run_set.number]
    and followed_by.next_wrong[run_set.number]
  ), 0)::bigint as followed,
  round(followed / nullif(errors, 0), 4) as share,
  round(coalesce(sum(n) filter (followed_by.next_wrong[run_set.number]), 0) / sum(n), 4) as chance
from followed_by
join run_set using (run_set)
group by run_set.system
order by
  share desc nulls last,
  system nulls last
