// Passkeys: a form with data-passkey ("create" or "get") asks data-ask for what the
// browser is to sign, puts the answer into its fields and goes on as any form does.
// Without JavaScript, or in a browser that knows no passkeys, it stays hidden.
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const named = (list) => (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));

if (window.PublicKeyCredential) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      if (form.elements.answer.value) return;
      event.preventDefault();
      use(form);
    });
  }
}

async function use(form) {
  const problem = form.querySelector("[data-problem]");
  const button = form.querySelector("button");
  problem.hidden = true;
  button.disabled = true;
  try {
    const { options, ticket } = await ask(form);
    const answer = form.dataset.passkey === "create" ? await create(options) : await get(options);
    form.elements.ticket.value = ticket;
    form.elements.answer.value = JSON.stringify(answer);
    form.submit();
  } catch (error) {
    button.disabled = false;
    problem.hidden = false;
    problem.textContent = sentence(error);
  }
}

async function ask(form) {
  const body = new URLSearchParams({ step: form.elements.step?.value ?? "" });
  const response = await fetch(form.dataset.ask, { method: "POST", body, headers: { Accept: "application/json" } });
  const said = await response.json();
  if (response.ok) return said;
  if (response.status === 403 && said.error?.message?.includes("/console/confirm")) {
    location.assign(form.dataset.ask.replace(/\/console\/.*/, "/console/confirm?next=/console/security"));
  }
  throw new Error(said.error?.message ?? "That did not work.");
}

async function create(options) {
  const made = await navigator.credentials.create({ publicKey: {
    ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: named(options.excludeCredentials),
  } });
  return { ...common(made), response: {
    clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject),
    transports: made.response.getTransports?.() ?? [],
  } };
}

async function get(options) {
  const used = await navigator.credentials.get({ publicKey: {
    ...options, challenge: bytes(options.challenge), allowCredentials: named(options.allowCredentials),
  } });
  const { clientDataJSON, authenticatorData, signature, userHandle } = used.response;
  return { ...common(used), response: {
    clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature),
    userHandle: userHandle ? text(userHandle) : undefined,
  } };
}

function common(credential) {
  return { id: credential.id, rawId: text(credential.rawId), type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined, clientExtensionResults: {} };
}

function sentence(error) {
  switch (error.name) {
    case "NotAllowedError": return "Nothing was signed: it was cancelled, or took too long.";
    case "InvalidStateError": return "This device has a passkey for you already.";
    case "SecurityError": return "Passkeys do not work at this address.";
  }
  return error.message;
}
