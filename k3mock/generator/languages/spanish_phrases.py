"""Turns situations into sentence patterns in Spanish; source layer."""

from __future__ import annotations

from k3mock.generator.phrases import phrases

PHRASES = {
    "think_user": phrases(
        "La petición es: «{quote}». Primero aclaro qué se espera en realidad.",
        "Leo otra vez: «{quote}». ¿Qué sería lo más útil aquí?",
        "Me preguntan: «{quote}». Pienso un momento antes de responder.",
    ),
    "think_plain": phrases(
        "El mensaje no dice casi nada, así que debo pensar con cuidado qué respuesta serviría.",
        "Hay muy poco texto; me pregunto qué clase de respuesta puede ayudar a quien escribe.",
    ),
    "think_result": phrases(
        "La llamada a {source} ha devuelto «{result}». Veamos qué significa.",
        "Ya tengo la salida de {source}: «{result}». La comparo con la pregunta.",
    ),
    "think_results_empty": phrases(
        "La llamada a {source} no devolvió nada, y debo decirlo en la respuesta.",
    ),
    "think_about": phrases(
        "Las palabras clave son «{a}» y «{b}»; la respuesta debe quedarse cerca de ellas.",
        "Lo importante aquí es «{a}»; el resto solo acota la pregunta.",
        "Si menciono «{c}», que sea porque cambia lo que digo sobre «{a}».",
        "Quien pregunta por «{a}» quiere probablemente algo que pueda usar enseguida.",
        "Podría empezar por «{b}», pero «{a}» aparece primero en la petición.",
    ),
    "think_tools": phrases(
        "Tengo estas herramientas: {tools}. ¿Encaja alguna?",
        "De las herramientas ofrecidas ({tools}) solo usaré la que haga falta.",
    ),
    "think_tool": phrases(
        "La herramienta {tool} encaja con la pregunta; llamarla es mejor que adivinar.",
        "Me faltan datos, y {tool} puede conseguirlos.",
        "Para {tool} tomo los argumentos del mensaje: {values}.",
    ),
    "think_next": phrases(
        "Ese paso está hecho; el siguiente pide {tool}.",
        "La tarea no ha terminado: queda el paso con {tool}.",
    ),
    "think_no_tool": phrases(
        "Para esto no hace falta ninguna herramienta, puedo responder directamente.",
        "Una llamada no aportaría nada más, así que respondo yo.",
    ),
    "think_facts": phrases(
        "El resultado dice: {result}. La respuesta debe basarse en eso.",
        "Cuento lo que devolvió {source}, sin inventar cifras.",
        "No hace falta llamar otra vez a {source}, con esta salida basta.",
    ),
    "think_media": phrases(
        "También hay algo que ver: {media}. Debo tenerlo en cuenta.",
        "El mensaje trae {media}, la respuesta debe mencionarlo.",
    ),
    "think_form": phrases(
        "La forma está dada: {form}. Me atengo a ella sin añadir nada.",
        "Se pide {form}, y eso decide el aspecto de la respuesta.",
    ),
    "think_history": phrases(
        "No es el primer mensaje, así que debo ser coherente con lo anterior.",
    ),
    "think_plan": phrases(
        "Mi plan: primero lo principal, luego el detalle que lo apoya.",
        "Primero la respuesta directa, después una razón, y nada más.",
        "Hago un esquema: una afirmación clara, una breve explicación, un consejo práctico.",
        "Podría contar los antecedentes, pero sería más de lo pedido.",
        "El primer paso es separar lo seguro de lo supuesto.",
        "Divido la tarea: lo que se da, lo que falta, lo que se deduce.",
        "¿Hasta qué punto entrar en detalle? Un nivel medio parece adecuado.",
        "Podría preguntar algo, pero hay bastante para una respuesta útil.",
    ),
    "think_check": phrases(
        "Un momento: no debo leer más de lo que está escrito.",
        "¿Hay alguna contradicción? No la veo.",
        "El tono debe ser sencillo, amable y directo.",
        "Evito lo que no puedo justificar.",
        "Repaso todo desde el principio; los pasos se sostienen.",
        "Hay un punto que podría entenderse mal, lo diré con cuidado.",
        "Sobre la longitud: debería leerse de una vez.",
        "No hay nada delicado, puedo responder sin más.",
    ),
    "think_done": phrases(
        "Bien, ya sé qué voy a escribir.",
        "Basta de pensar, paso a la respuesta.",
    ),
    "think_done_call": phrases("Así que llamo a {tool}.", "El siguiente paso es llamar a {tool}."),
    "say_lead": phrases(
        "En pocas palabras, «{a}» depende sobre todo de un punto: «{b}».",
        "Sobre el tema «{a}», conviene empezar por una visión general.",
        "Lo esencial sobre «{a}» cabe en unas pocas frases.",
    ),
    "say_lead_how": phrases(
        "Para «{a}», lo más sencillo es avanzar en pasos pequeños.",
        "Empieza por las bases de «{a}» y prueba después con un caso simple.",
    ),
    "say_lead_why": phrases(
        "En «{a}» se juntan varias razones, aunque suele pesar más una de ellas.",
        "La razón principal, en el caso de «{a}», es menos evidente de lo que parece.",
    ),
    "say_lead_compare": phrases(
        "«{a}» y «{b}» tienen sus puntos fuertes; todo depende de lo que necesites.",
        "La diferencia entre «{a}» y «{b}» se nota sobre todo en el uso diario.",
    ),
    "say_lead_plain": phrases(
        "Tengo pocos datos, pero esto es lo que puedo decir.",
        "Te ayudo con gusto; con un poco más de contexto podré ser más preciso.",
    ),
    "say_body": phrases(
        "Conviene separar lo que es seguro de lo que solo se supone.",
        "Los pasos pequeños y constantes suelen llevar más lejos que un gran esfuerzo.",
        "Buenas preguntas son: cuánto cuesta, cuánto tarda y quién puede ayudar.",
        "«{a}» y «{b}» suelen ir juntos, porque lo uno influye en lo otro.",
        "Lo práctico es empezar poco a poco y comprobar el resultado en cada paso.",
        "{person}, que conoce bien el tema, lo dice con sencillez: primero las bases.",
        "Si también te importa «{c}», tenlo en cuenta desde el principio.",
        "Muchas veces se olvida cuánto influye «{b}» en el resultado.",
        "Una vez que «{a}» queda claro, las demás preguntas casi se responden solas.",
        "En empresas como {company} avanzan por etapas y corrigen sobre la marcha.",
    ),
    "say_body_what": phrases(
        "Aquí influyen varias cosas, entre ellas el tiempo, el lugar y las personas.",
        "Hay distintas opiniones sobre los detalles, pero las líneas principales no se discuten.",
        "Lo que de lejos parece sencillo tiene de cerca varias capas.",
        "Mucho de lo que se sabe sobre «{a}» viene de una observación larga y paciente.",
        "{person}, que sigue el tema desde hace años, destaca el papel de las causas pequeñas.",
        "La situación cambia según el lugar; en {city}, por ejemplo, el acento es otro.",
        "Algunos puntos están resueltos desde hace tiempo, otros se siguen discutiendo.",
    ),
    "say_body_plain": phrases(
        "Si me cuentas más sobre tu objetivo, mi respuesta será más precisa.",
        "Mientras tanto, lo más seguro es empezar poco a poco y observar.",
        "Puedes enviarme una pregunta, un texto o un problema que resolver.",
        "Puedo explicar, resumir, traducir o escribir código.",
        "A menudo ayuda anotar el resultado deseado y los límites que hay que respetar.",
    ),
    "say_close": phrases(
        "Con esto tienes un buen comienzo para «{a}».",
        "Si quieres, puedo entrar en más detalle sobre «{a}».",
    ),
    "say_close_plain": phrases("Dime simplemente por dónde empezamos.",
    "Con gusto sigo a partir de aquí."),
    "say_known": phrases(
        "Esa es toda la respuesta; si quieres, explico cómo se llega a ella.",
        "Si necesitas más contexto, solo tienes que pedirlo.",
    ),
    "say_greeting": phrases(
        "¡Hola! Me alegra saludarte. ¿De qué quieres hablar hoy, o en qué trabajamos?",
        "¡Buenas! Estoy listo. Hazme una pregunta o dame una tarea, y empezamos enseguida.",
    ),
    "say_media": phrases(
        "He mirado lo que enviaste: {media}.",
        "Gracias, esto es lo que he recibido: {media}.",
    ),
    "say_result": phrases(
        "Según {source}: {facts}.",
        "Esto es lo que devolvió {source}: {facts}.",
        "Lo he comprobado con {source} y el resultado es claro: {facts}.",
    ),
    "say_result_empty": phrases(
        "La llamada a {source} terminó, pero no devolvió ningún dato.",
    ),
    "say_result_error": phrases(
        "La llamada a {source} no funcionó: {facts}.",
        "Por desgracia, {source} avisa de un problema: {facts}.",
    ),
    "say_result_close": phrases(
        "Con eso queda respondida la pregunta; dime si necesitas más detalles.",
        "Dime si quieres que compruebe algo más.",
    ),
    "say_item": phrases(
        "Empezar por «{a}» y mantener sencilla la primera versión",
        "Comprobar cómo influye «{b}» en el resultado",
        "Anotar qué se espera de «{a}»",
        "Preguntar a alguien con experiencia, como {first}",
        "Dejar algo de margen para «{c}»",
        "Comparar «{a}» con una solución más simple",
        "Revisar «{b}» una vez por semana",
        "Tomar notas sobre «{a}» para justificar la elección",
        "Quitar lo que no aporta nada a «{a}»",
    ),
    "say_item_plain": phrases(
        "Empezar por el paso útil más pequeño",
        "Escribir el objetivo en una frase",
        "Pedir una segunda opinión, por ejemplo a {first}",
        "Comprobar el resultado antes de seguir",
        "Conservar lo que funciona y dejar el resto",
        "Reservar tiempo para lo inesperado",
        "Hacer balance al cabo de una semana",
    ),
    "say_list": phrases("Sobre «{a}», esto es lo esencial:",
    "Algunos puntos importantes sobre «{a}»:"),
    "say_table": phrases("La tabla resume los puntos importantes sobre «{a}»:"),
    "say_poem": phrases(
        "«{A}», dice la canción,", "que vuelve siempre al corazón,",
        "el viento pasa sin hablar", "y trae noticias desde el mar,",
        "y cuando cae la tarde al fin,", "queda un poco de jardín.",
    ),
    "say_story": phrases(
        "{first} vivía en {city} y solo pensaba en una cosa: {a}.",
        "Una mañana apareció una carta sin sello delante de la puerta.",
        "Dentro había solo unas palabras: «{a}».",
        "Así que {first} preparó una bolsa pequeña y se marchó sin decir nada.",
        "Por la noche todo era distinto y, aun así, se parecía a volver a casa.",
    ),
    "say_joke": phrases(
        "¿Qué le dice un jardinero a otro? «Seamos felices mientras podamos».",
        "¿Por qué el programador dejó su trabajo? Porque no le daban arrays… de sol.",
        "Dos bytes se encuentran. «¿Estás enfermo?» «No, solo me siento un bit desviado».",
    ),
    "say_mail": phrases(
        "Asunto: {A}\n\nHola, {first}:\n\nTe escribo por este tema: {a}. ¿Tendrías un momento esta "
        "semana para hablarlo?\n\nUn saludo,\n{person}",
        "Asunto: una pregunta rápida\n\nHola, {first}:\n\n¿Tendrías veinte minutos esta semana "
        "para "
        "hablar de los próximos pasos?\n\nUn saludo,\n{person}",
    ),
    "say_code": phrases(
        "El código es corto a propósito; adapta los nombres a tu proyecto.",
        "No tiene dependencias, así que puedes copiarlo y ejecutarlo tal cual.",
    ),
    "go_on_new": phrases(
        "El siguiente punto es «{a}», del que dependen muchas otras cosas.",
        "A partir de aquí, los detalles importan más que la idea general.",
    ),
    "go_on_comma": phrases(
        "y esa es la parte que más se recuerda.",
        "por lo que merece la pena mirarlo de cerca.",
    ),
    "go_on_colon": phrases(
        "empezar poco a poco, mantenerlo sencillo y construir sobre lo que funciona.",
        "avanzar paso a paso y comprobar el resultado cada vez.",
    ),
    "go_on_verb": phrases("más fácil de entender si se mira un caso tras otro.",),
    "go_on_article": phrases("parte que más importa, y el resto se deduce de ella.",),
    "go_on_other": phrases(
        "con calma, un paso tras otro.",
        "con «{a}» como punto de partida, y lo demás paso a paso.",
    ),
    "say_step": phrases(
        "Aclarar el objetivo y cómo se reconoce un buen resultado",
        "Reunir todo lo necesario",
        "Empezar por la versión más sencilla que funcione",
        "Comprobar el resultado y anotar las mejoras",
        "Cambiar una sola cosa cada vez y comparar",
        "Escribir lo que funcionó para poder repetirlo",
    ),
    "say_look": phrases(
        "El motivo principal se ve con claridad y el fondo es discreto.",
        "Los colores y la luz son uniformes, la impresión general es tranquila.",
        "Con esta resolución, los detalles finos se distinguen mal.",
        "Si me dices qué te interesa, puedo fijarme más en esa parte.",
    ),
    "text_body": phrases(
        "Este mensaje trata de {a}. Escríbeme si tienes preguntas.",
        "Aquí está la información pedida. Avísame si falta algo.",
    ),
    "text_value": phrases("Breve nota sobre {a}", "Lo que hay que saber: {a}",
    "Breve nota para {first}"),
}  # fmt: skip

EXACT = {
    1: phrases("{one}."),
    2: phrases("Seguramente {one}.", "Sobre todo."),
    3: phrases("Empieza por {one}.", "Piensa en {one}."),
    4: phrases("Empieza hoy por {one}.", "Todo parte de {one}."),
    5: phrases("Todo empieza siempre por {one}.", "Lo más importante es {one}."),
    6: phrases("Casi todo depende aquí de {one}.", "Una mirada clara a {one} ayuda."),
    7: phrases("Con {one} funcionan mejor los pasos pequeños.",
        "Nadie domina {one} en un solo día."),
    8: phrases(
        "Todo lo demás llega cuando se entiende {one}.",
        "Pregunta pronto, escucha bien y mantén {one} sencillo.",
    ),
}  # fmt: skip

HAIKU = {
    0: phrases("Calla la mañana,", "Cae una hoja seca,"),
    1: phrases("{a} al caer la tarde,"),
    2: phrases("{a} en silencio,"),
    3: phrases("{a} al viento,"),
    4: phrases("{a}, luz,"),
    7: phrases("pasa el viento sin hablar,", "la luz espera en el mar,"),
    5: phrases("y vuelve la noche.", "todo queda quieto."),
}  # fmt: skip
