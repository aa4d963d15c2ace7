-- What a validator's seat costs on one network, native units; a network without a fixed price is not here.
-- kind: view   grain: network
select network, seat_price_native from landing.network_a_seat_policy
