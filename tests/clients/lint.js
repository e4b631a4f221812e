// lint.js FILE: prints what Redocly's linter finds in an OpenAPI document, one a line; exit status 1 if it finds anything.
import { createConfig, lint } from '@redocly/openapi-core';

const problems = await lint({ ref: process.argv[2], config: await createConfig({ extends: ['recommended'] }) });
for (const { severity, ruleId, message, location } of problems) {
  console.log(`${severity} ${ruleId} ${location[0].pointer}: ${message}`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
