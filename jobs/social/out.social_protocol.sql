-- The list of protocols of one channel (2.1).
-- kind: full   grain: channel, protocol_id
select channel, protocol_id, name from obs.social_protocol
