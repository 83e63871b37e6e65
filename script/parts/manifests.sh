# Checks the manifests for Kubernetes on the pages. Schemas are fetched from npm once. script/part sources this file.
manifests() {
    command -v npm >/dev/null || { echo "skipped: there is no npm"; return; }
    npm_fetch test/kubernetes "$STATE/kubernetes"
    cp test/kubernetes/* "$STATE/kubernetes/"
    (cd "$STATE/kubernetes" && node check.mjs "$SOURCE"/doc/*.md)
}
