// Checks the manifests of pages: each value is what the resource's schema says, and each field is one that it has. The
// schema itself lets unknown fields pass, so the compiler of TypeScript looks at those.
//
//     check.mjs PAGE...
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const without = ['postgresql of acid.zalan.do/v1'];  // no package has a schema of these

const pages = process.argv.slice(2).map((page) => readFileSync(page, 'utf8')).join('');
const manifests = [...pages.matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()));

const moduleOf = ({ apiVersion, kind }) =>
  `${apiVersion.startsWith('postgresql.cnpg.io/') ? '@kubernetes-models/cloudnative-pg' : 'kubernetes-models'}/${apiVersion}/${kind}`;

const valueFaults = async (manifest) => {
  const Model = (await import(moduleOf(manifest)))[manifest.kind];
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata.name}: ${error.message}`];
  }
};

const fieldFaults = (manifests) => {
  const source = manifests.map((m, i) => `import { I${m.kind} as I${i} } from "${moduleOf(m)}";\nexport const m${i}: I${i} = ${JSON.stringify(m, null, 1)};\n`);
  writeFileSync('manifests.ts', source.join(''));
  try {
    execFileSync('node_modules/.bin/tsc', ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', 'manifests.ts'], { encoding: 'utf8' });
    return [];
  } catch (error) {
    return [error.stdout];
  }
};

const faults = async (manifests) => [...(await Promise.all(manifests.map(valueFaults))).flat(), ...fieldFaults(manifests)];

const known = manifests.filter((m) => !without.includes(`${m.kind} of ${m.apiVersion}`));
const found = await faults(known);
found.forEach((fault) => console.log(fault));
// What is planted has to be found: a value of another type, and a field that there is not.
const broken = structuredClone(known[0]);
const planted = [{ ...broken, spec: { ...broken.spec, replicas: '3' } }, { ...broken, spec: { ...broken.spec, replicass: 3 } }];
for (const fault of planted) if ((await faults([fault])).length === 0) found.push('a planted fault is not found') && console.log(found.at(-1));
console.log(`${manifests.length} manifests, ${known.length} of them compared with a schema`);
process.exit(found.length === 0 && known.length > 3 ? 0 : 1);
