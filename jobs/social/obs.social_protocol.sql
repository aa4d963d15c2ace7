-- One protocol that is followed on one channel.
-- kind: view   grain: channel, protocol_id
select channel, protocol_id, name from landing.social_protocol_policy
