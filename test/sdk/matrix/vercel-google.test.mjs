import { play } from './play.mjs';
import { vercelGoogle } from './vercel.mjs';
import { tools } from './vercel-tools.mjs';

// To Google's older models it sends pictures beside a tool's result, and it takes every name with a slash for one of those;
// passed through as it is the upstream here does not take that.
play(vercelGoogle, { lean: true, skip: ({ name, up }) => up.dialect === 'gemini' && name.includes('picture') });
tools(vercelGoogle, { foreign: false });
