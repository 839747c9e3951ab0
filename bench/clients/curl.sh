# curl against the server whose address is the argument.
set -euo pipefail
base=$1
curl() { command curl --silent --show-error --fail-with-body "$@"; }
expect() { grep -q -- "$1" || { echo "no $1 in the answer" >&2; exit 1; }; }

curl "$base/update" -H 'Content-Type: application/sparql-update' --data-binary 'INSERT DATA { <http://ex/curl> <http://ex/name> "Curl", 7 }'
curl -G "$base/sparql" --data-urlencode 'query=SELECT ?n { <http://ex/curl> ?p ?n }' | expect '"Curl"'
curl "$base/sparql" --data-urlencode 'query=ASK { <http://ex/curl> ?p 7 }' | expect true
curl --compressed -G "$base/sparql" --data-urlencode 'query=SELECT ?n { <http://ex/curl> ?p ?n }' -H 'Accept: text/csv' | expect Curl
curl "$base/sparql" -H 'Content-Type: application/sparql-query' --data-binary 'CONSTRUCT WHERE { <http://ex/curl> ?p ?o }' | expect 'http://ex/curl'
file=$(mktemp)
trap 'rm -f "$file"' EXIT
echo '<http://ex/c> <http://ex/d> "e" .' >"$file"
curl -T "$file" -H 'Content-Type: text/turtle' "$base/store?graph=http://ex/curl-graph"
curl "$base/store?graph=http://ex/curl-graph" | expect '"e"'
curl -F "file=@$file;type=text/turtle" "$base/store?graph=http://ex/curl-graph"
curl -X DELETE "$base/store?graph=http://ex/curl-graph"
curl -I "$base/sparql?query=ASK%7B%7D" | expect '200 OK'
curl --http1.0 -G "$base/sparql" --data-urlencode 'query=SELECT ?n { <http://ex/curl> ?p ?n }' | expect '"Curl"'
