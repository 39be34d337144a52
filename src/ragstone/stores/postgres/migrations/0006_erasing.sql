-- Since when a tenant is to be erased: no run begins in it any more. Its row goes with the last of it.
ALTER TABLE tenants ADD COLUMN erasing timestamptz;
