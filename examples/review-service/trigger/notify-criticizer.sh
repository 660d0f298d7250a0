#!/bin/sh
# A change-commit or shelve-commit trigger: tells the review service of a change.
# usage: notify-criticizer.sh URL HEADER_FILE CHANGE
# It ends well whatever happens: no user sees its trouble, and the watcher finds what it could not tell.
[ $# -eq 3 ] || exit 0
case $3 in '' | *[!0-9]*) exit 0 ;; esac
curl --silent --output /dev/null --max-time 5 --header "@$2" --header 'content-type: application/json' \
  --data "{\"change\": $3}" "$1/changes"
exit 0
