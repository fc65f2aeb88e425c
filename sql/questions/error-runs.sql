-- Does an error follow an error? How often the next item is wrong too, by system.
--
-- reads:   answers (item, gold, one column per system), item (item, sentence), system (number, system)
-- params:  none
-- returns: system, errors, followed, share, chance
--
-- share: of errors that have an item after them in their sentence, chance: of all such items.
with judged as (
  select
    item,
    columns(* exclude (item, gold)) is distinct from gold
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
    list_value(*columns(* exclude (item))) as wrong
  from judged
),
followed_by as (
  select
    this.wrong,
    next.wrong as next_wrong
  from place
  join wrong as this on this.item = place.item
  join wrong as next on next.item = place.next
)
select
  system.system,
  count(*) filter (followed_by.wrong[system.number])::bigint as errors,
  count(*) filter (
    followed_by.wrong[system.number]
    and followed_by.next_wrong[system.number]
  )::bigint as followed,
  round(followed / nullif(errors, 0), 4) as share,
  round(avg(followed_by.next_wrong[system.number]::int), 4) as chance
from followed_by
cross join system
group by system.system
order by
  share desc nulls last,
  system nulls last
