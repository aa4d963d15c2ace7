-- One unbroken weekly opening of one market, minutes since Monday 00:00 UTC; one over the week's end ends past 10080.
-- kind: view   grain: name, open_from_minute
select * from landing.market_hours_policy
