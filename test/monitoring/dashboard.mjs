// Checks the dashboard against Grafana's own types: writes it into a TypeScript file, which tsc reads. A property that they do not
// know, or of another type, is an error. Arguments: the dashboard, and a folder that has @grafana/schema and typescript.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [dashboard, folder] = process.argv.slice(2);
const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022'];

// A JSON file has the values of an enum and not its names.
const types = `import type { Dashboard } from '@grafana/schema';
type Plain<T> = T extends string ? T | \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
`;
const fits = json => {
    writeFileSync(`${folder}/dashboard.ts`, `${types}export const dashboard = ${json.trim()} satisfies Plain<Dashboard>;\n`);
    try {
        execFileSync('node', [`${folder}/node_modules/typescript/bin/tsc`, ...options, 'dashboard.ts'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
        return '';
    } catch (error) {
        return String(error.stdout);
    }
};

const json = readFileSync(dashboard, 'utf8');
const wrong = fits(json);
if (wrong) throw new Error(wrong);
// A check that cannot fail is none.
for (const [right, planted] of [['"refresh": "30s"', '"refresh": 30'], ['"gridPos"', '"gridpos"'], ['"mode": "absolute"', '"mode": "absolut"']])
    if (!fits(json.replace(right, planted))) throw new Error(`${planted} is not found`);
console.log('the dashboard fits the types of Grafana');
