-- How often each form occurs in each bin.
--
-- reads:   word (form, bin)
-- params:  none
-- returns: form, bin, n
--
-- Labels do as well as forms: values are only grouped.
select
  form,
  bin,
  count(*)::bigint as n
from word
where form is not null
group by all
order by
  form nulls last,
  bin nulls last
