-- From which deviation and which size on a figure is an anomaly, one row.
-- kind: view   grain: baseline_days
select * from landing.anomaly_policy
