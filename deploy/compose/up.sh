#!/bin/sh
# Starts the stack of compose.yaml and waits until all that has a check is healthy; passwords are made once, in .env.
set -eu
cd "$(dirname "$0")/../.."
docker compose version > /dev/null 2>&1 || { echo "make dev: Docker with its plugin compose is needed" >&2; exit 1; }
if [ ! -e .env ]; then
  umask 077
  while IFS= read -r line; do
    case $line in
      *PASSWORD=) echo "$line$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" ;;
      *) echo "$line" ;;
    esac
  done < .env.example > .env
fi
docker compose --profile monitoring up --build --detach
for service in ragstone prometheus grafana; do
  tries=0
  until [ "$(docker compose --profile monitoring ps --format '{{.Health}}' "$service")" = healthy ]; do
    tries=$((tries + 1))
    [ "$tries" -le 150 ] || { docker compose --profile monitoring logs --tail 20 "$service" >&2; exit 1; }
    sleep 1
  done
done
docker compose --profile monitoring ps
