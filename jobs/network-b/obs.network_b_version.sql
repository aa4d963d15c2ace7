-- The protocol version of one network whose answers do not carry it.
-- kind: view   grain: network
select network, protocol_version from landing.network_b_version_policy
