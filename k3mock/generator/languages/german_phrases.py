"""Turns situations into sentence patterns in German; source layer."""

from __future__ import annotations

from k3mock.generator.phrases import phrases

PHRASES = {
    "think_user": phrases(
        "Die Anfrage lautet: „{quote}“. Zuerst kläre ich, was damit genau gemeint ist.",
        "Ich lese noch einmal: „{quote}“. Was soll am Ende dabei herauskommen?",
        "Gefragt ist: „{quote}“. Bevor ich antworte, ordne ich kurz meine Gedanken.",
    ),
    "think_plain": phrases(
        "In der Nachricht steht fast nichts, also überlege ich, welche Antwort hier weiterhilft.",
        "Viel Text ist das nicht. Ich muss vorsichtig abwägen, was gemeint sein könnte.",
    ),
    "think_result": phrases(
        "Der Aufruf von {source} hat geliefert: „{result}“. Was bedeutet das für die Frage?",
        "Jetzt liegt die Ausgabe von {source} vor: „{result}“. Ich vergleiche sie mit der Frage.",
    ),
    "think_results_empty": phrases(
        "Der Aufruf von {source} kam ohne Ausgabe zurück; das muss ich in der Antwort sagen.",
    ),
    "think_about": phrases(
        "Die wichtigsten Stichworte sind {a} und {b}, daran sollte sich die Antwort halten.",
        "Im Kern geht es um {a}; der Rest grenzt die Frage nur ein.",
        "Wer nach {a} fragt, möchte vermutlich etwas, das sich gleich anwenden lässt.",
        "Ist {b} das eigentliche Thema oder nur der Rahmen für {a}? Ich lese es als Teil der "
        "Frage.",
        "Ich könnte mit {b} anfangen, aber {a} steht in der Anfrage vorn.",
        "Ein kleines Beispiel zu {c} würde das Ganze greifbarer machen.",
    ),
    "think_tools": phrases(
        "Zur Verfügung stehen diese Werkzeuge: {tools}. Passt eines davon?",
        "Von den angebotenen Werkzeugen ({tools}) nehme ich nur, was wirklich weiterhilft.",
    ),
    "think_tool": phrases(
        "Das Werkzeug {tool} passt zur Frage; ein Aufruf ist besser als Raten.",
        "Mir fehlen Daten, und {tool} kann sie beschaffen.",
        "Für {tool} entnehme ich die Argumente der Nachricht: {values}.",
    ),
    "think_next": phrases(
        "Ein Schritt ist erledigt, als Nächstes ist {tool} an der Reihe.",
        "Die Aufgabe ist noch nicht fertig: Jetzt kommt der Schritt mit {tool}.",
    ),
    "think_no_tool": phrases(
        "Dafür muss kein Werkzeug aufgerufen werden, ich kann direkt antworten.",
        "Ein Aufruf würde hier nichts Neues bringen, also antworte ich selbst.",
    ),
    "think_facts": phrases(
        "Das Ergebnis sagt: {result}. Darauf muss die Antwort beruhen.",
        "Ich gebe wieder, was {source} geliefert hat, und erfinde keine Zahlen dazu.",
        "Ein zweiter Aufruf von {source} ist nicht nötig, die Ausgabe reicht aus.",
    ),
    "think_media": phrases(
        "Es gibt auch etwas zu sehen: {media}. Darauf sollte ich eingehen.",
        "Angehängt ist {media}, das gehört in die Antwort.",
    ),
    "think_form": phrases(
        "Die Form ist vorgegeben: {form}. Daran halte ich mich, ohne etwas anzufügen.",
        "Gewünscht ist {form}, das bestimmt den Aufbau der Antwort.",
    ),
    "think_history": phrases(
        "Das ist nicht die erste Nachricht, also bleibe ich bei dem, was schon gesagt wurde.",
    ),
    "think_plan": phrases(
        "Mein Plan: zuerst die Hauptsache, danach die Einzelheit, die sie stützt.",
        "Erst die direkte Antwort, dann eine Begründung, dann Schluss.",
        "Ich skizziere: eine klare Aussage, eine kurze Erklärung, ein praktischer Hinweis.",
        "Ich könnte weit ausholen, aber das wäre mehr, als gefragt ist.",
        "Schritt eins ist zu trennen, was sicher ist und was nur vermutet.",
        "Ich zerlege die Aufgabe: Was ist gegeben, was fehlt, was folgt daraus?",
        "Wie tief soll es gehen? Ein mittlerer Grad an Einzelheiten scheint richtig.",
        "Eine Rückfrage wäre möglich, doch für eine brauchbare Antwort reicht es.",
        "Mehrere Vorschläge wären denkbar, aber ein guter ist oft mehr wert.",
    ),
    "think_check": phrases(
        "Moment, ich prüfe, ob ich nicht zu viel hineinlese.",
        "Widerspricht sich etwas? Soweit ich sehe, nicht.",
        "Der Ton sollte passen: sachlich, freundlich, ohne Umschweife.",
        "Behauptungen, die ich nicht belegen kann, lasse ich weg.",
        "Ich gehe alles noch einmal von vorn durch; die Schritte tragen.",
        "Eine Stelle könnte man missverstehen, die formuliere ich vorsichtiger.",
        "Zur Länge: Man sollte die Antwort in einem Zug lesen können.",
        "Heikel ist daran nichts, ich kann einfach antworten.",
        "Die gegenteilige Lesart habe ich bedacht, sie passt schlechter.",
    ),
    "think_done": phrases(
        "Gut, damit steht fest, was ich schreibe.",
        "Das genügt an Überlegung, jetzt die Antwort.",
    ),
    "think_done_call": phrases("Also rufe ich jetzt {tool} auf.",
    "Gut, der nächste Schritt ist {tool}."),
    "say_lead": phrases(
        "Kurz gesagt: Bei {a} kommt es vor allem auf {b} an.",
        "Beim Thema {a} beginnt man am besten mit dem Überblick und geht dann ins Einzelne.",
        "Das Wichtigste zu {a} lässt sich in wenigen Sätzen sagen.",
    ),
    "say_lead_how": phrases(
        "Beim Thema {a} hilft es, in kleinen Schritten vorzugehen.",
        "Am einfachsten geht es so: erst die Grundlagen zu {a} klären, dann ausprobieren.",
    ),
    "say_lead_why": phrases(
        "Beim Thema {a} spielen meist mehrere Gründe zusammen, einer davon überwiegt aber.",
        "Der Hauptgrund liegt bei {a} oft weniger auf der Hand, als man denkt.",
    ),
    "say_lead_compare": phrases(
        "{a} und {b} haben beide ihre Stärken; entscheidend ist, was du damit vorhast.",
        "Der Unterschied zwischen {a} und {b} zeigt sich vor allem im Alltag.",
    ),
    "say_lead_plain": phrases(
        "Viel habe ich nicht als Anhaltspunkt, aber das hier würde ich sagen.",
        "Gern helfe ich weiter; mit etwas mehr Zusammenhang kann ich genauer werden.",
    ),
    "say_body": phrases(
        "Es lohnt sich, Sicheres von bloßen Annahmen zu trennen.",
        "Kleine, regelmäßige Schritte führen meist weiter als eine große Anstrengung.",
        "Gute Fragen sind: Was kostet es, wie lange dauert es, wer kann helfen?",
        "{a} und {b} betrachtet man am besten gemeinsam, denn das eine wirkt auf das andere.",
        "Praktisch ist es, klein anzufangen und nach jedem Schritt zu prüfen, was herauskommt.",
        "{person} hat viel Erfahrung damit und sagt es einfach: zuerst die Grundlagen.",
        "Wenn dir auch {c} wichtig ist, plane es früh ein, statt es nachträglich anzufügen.",
        "Oft unterschätzt wird, wie stark {b} das Ergebnis prägt.",
        "Ist {a} einmal verstanden, beantworten sich viele weitere Fragen von selbst.",
        "Auch Firmen wie {company} gehen in Etappen vor und steuern unterwegs nach.",
    ),
    "say_body_what": phrases(
        "Hier spielt mehreres zusammen, darunter Zeit, Ort und die beteiligten Menschen.",
        "Über Einzelheiten gehen die Meinungen auseinander, die großen Linien sind unstrittig.",
        "Was von Weitem einfach aussieht, hat aus der Nähe mehrere Schichten.",
        "Vieles, was man über {a} weiß, stammt aus langer, geduldiger Beobachtung.",
        "{person} verfolgt das Thema {a} seit Jahren und betont, wie viel an kleinen Ursachen "
        "hängt.",
        "Das Bild ist nicht überall gleich; in {city} etwa liegt der Schwerpunkt anders.",
        "Manche Punkte sind seit Langem geklärt, andere werden noch diskutiert.",
    ),
    "say_body_plain": phrases(
        "Wenn du mir mehr über dein Ziel erzählst, kann ich genauer antworten.",
        "Bis dahin ist es am sichersten, klein anzufangen und zu sehen, wie es läuft.",
        "Du kannst mir eine Frage, einen Text oder ein Problem schicken.",
        "Ich kann erklären, zusammenfassen, übersetzen oder Code schreiben.",
        "Oft hilft es, das gewünschte Ergebnis und die Grenzen dafür aufzuschreiben.",
    ),
    "say_close": phrases(
        "Damit hast du einen guten Einstieg in das Thema {a}.",
        "Auf Wunsch gehe ich gern näher auf {a} ein.",
    ),
    "say_close_plain": phrases("Sag mir einfach, womit wir anfangen.",
    "Von hier aus mache ich gern weiter."),
    "say_known": phrases(
        "Das ist schon die ganze Antwort; den Weg dorthin erkläre ich auf Wunsch gern.",
        "Wenn du mehr Hintergrund brauchst, frag einfach nach.",
    ),
    "say_greeting": phrases(
        "Hallo! Schön, von dir zu hören. Woran möchtest du heute arbeiten, oder was möchtest du "
        "wissen?",
        "Guten Tag! Ich bin bereit. Stell mir eine Frage oder gib mir eine Aufgabe, dann legen "
        "wir los.",
    ),
    "say_media": phrases(
        "Ich habe mir angesehen, was du geschickt hast: {media}.",
        "Danke, das hier liegt mir vor: {media}.",
    ),
    "say_result": phrases(
        "Laut {source} gilt: {facts}.",
        "{source} hat Folgendes geliefert: {facts}.",
        "Ich habe mit {source} nachgesehen, das Ergebnis: {facts}.",
    ),
    "say_result_empty": phrases(
        "Der Aufruf von {source} ist durchgelaufen, hat aber keine Daten geliefert.",
    ),
    "say_result_error": phrases(
        "Der Aufruf von {source} hat nicht geklappt: {facts}.",
        "Leider meldet {source} ein Problem: {facts}.",
    ),
    "say_result_close": phrases(
        "Damit ist die Frage beantwortet; wenn du mehr Einzelheiten brauchst, sag Bescheid.",
        "Sag Bescheid, wenn ich noch etwas nachsehen soll.",
    ),
    "say_item": phrases(
        "Mit {a} beginnen und die erste Fassung einfach halten",
        "Prüfen, wie sich {b} auf das Ergebnis auswirkt",
        "Aufschreiben, was von {a} erwartet wird",
        "Jemanden mit Erfahrung fragen, etwa {first}",
        "Etwas Spielraum für {c} lassen",
        "{a} mit einer einfacheren Lösung vergleichen",
        "Einmal in der Woche auf {b} zurückblicken",
        "Notizen zu {a} machen, damit die Wahl begründet ist",
        "Weglassen, was für {a} nichts bringt",
    ),
    "say_item_plain": phrases(
        "Mit dem kleinsten nützlichen Schritt beginnen",
        "Das Ziel in einem Satz aufschreiben",
        "{first} oder jemand anderen um eine zweite Meinung bitten",
        "Vor dem Weitermachen das Ergebnis prüfen",
        "Behalten, was funktioniert, und den Rest weglassen",
        "Zeit für Unerwartetes einplanen",
        "Nach einer Woche Bilanz ziehen",
    ),
    "say_list": phrases("Zum Thema {a} lässt sich festhalten:",
    "Diese Punkte sind bei {a} wichtig:"),
    "say_table": phrases("Die Tabelle stellt die wichtigsten Punkte zu {a} gegenüber:"),
    "say_poem": phrases(
        "„{A}“, so heißt das kleine Lied,", "das heute durch die Gassen zieht,",
        "der Wind trägt Worte übers Land,", "ein altes Lied, fast unbekannt,",
        "und was am Abend übrig bleibt,", "ist das, was in uns weiterschreibt.",
    ),
    "say_story": phrases(
        "{first} lebte in {city} und dachte seit Wochen nur an eines: {a}.",
        "Eines Morgens lag ein Brief vor der Tür, ohne Absender und ohne Marke.",
        "Darin standen nur wenige Worte: „{a}“.",
        "Also packte {first} eine kleine Tasche und ging los, ohne jemandem etwas zu sagen.",
        "Am Abend war alles anders, und doch fühlte es sich an wie nach Hause kommen.",
    ),
    "say_joke": phrases(
        "Warum nehmen Programmierer eine Leiter mit zur Arbeit? Weil sie in die Cloud wollen.",
        "Was sagt die große Kerze zur kleinen? „Heute Abend gehe ich aus.“",
        "Treffen sich zwei Bytes. Fragt das eine: „Bist du krank?“ – „Nein, ich fühle mich nur "
        "ein Bit daneben.“",
    ),
    "say_mail": phrases(
        "Betreff: {A}\n\nHallo {first},\n\nich melde mich wegen des Themas {a}. Hättest du in "
        "dieser "
        "Woche Zeit für ein kurzes Gespräch darüber?\n\nViele Grüße\n{person}",
        "Betreff: Kurze Frage\n\nHallo {first},\n\nhast du diese Woche zwanzig Minuten Zeit? Ich "
        "würde gern die nächsten Schritte mit dir besprechen.\n\nViele Grüße\n{person}",
    ),
    "say_code": phrases(
        "Der Code ist mit Absicht kurz; passe die Namen an dein Projekt an.",
        "Er kommt ohne Abhängigkeiten aus, du kannst ihn so übernehmen und ausführen.",
    ),
    "go_on_new": phrases(
        "Als Nächstes lohnt sich ein Blick auf {a}, denn daraus folgt vieles andere.",
        "Von hier an zählen die Einzelheiten mehr als die Idee im Großen.",
    ),
    "go_on_comma": phrases(
        "und das ist der Teil, an den sich die meisten erinnern.",
        "weshalb sich ein genauer Blick darauf lohnt.",
    ),
    "go_on_colon": phrases(
        "klein anfangen, einfach bleiben und auf dem aufbauen, was funktioniert.",
        "Schritt für Schritt vorgehen und nach jedem das Ergebnis prüfen.",
    ),
    "go_on_verb": phrases(
    "leichter zu verstehen, wenn man einen Fall nach dem anderen betrachtet.",),
    "go_on_article": phrases("Teil, auf den es am meisten ankommt; der Rest ergibt sich daraus.",),
    "go_on_other": phrases(
        "in aller Ruhe, ein Schritt nach dem anderen.",
        "mit {a} als Ausgangspunkt, alles andere folgt Schritt für Schritt.",
    ),
    "say_step": phrases(
        "Klären, was das Ziel ist und woran man ein gutes Ergebnis erkennt",
        "Alles bereitlegen, was gebraucht wird",
        "Mit der einfachsten Fassung beginnen, die funktioniert",
        "Das Ergebnis prüfen und Verbesserungen notieren",
        "Immer nur eine Sache ändern und vergleichen",
        "Aufschreiben, was funktioniert hat",
    ),
    "say_look": phrases(
        "Das Hauptmotiv ist klar zu erkennen, der Hintergrund bleibt ruhig.",
        "Farben und Licht sind gleichmäßig, der Gesamteindruck ist ruhig.",
        "Feine Einzelheiten sind bei dieser Auflösung schwer zu erkennen.",
        "Wenn du mir sagst, was dich daran interessiert, gehe ich näher darauf ein.",
    ),
    "text_body": phrases(
        "Es geht um {a}. Bei Fragen melde dich bitte.",
        "Hier sind die gewünschten Angaben. Melde dich bitte, wenn etwas fehlt.",
    ),
    "text_value": phrases("Kurze Notiz zu {a}", "Was man über {a} wissen sollte",
    "Kurze Notiz für {first}"),
}  # fmt: skip

EXACT = {
    1: phrases("{one}."),
    2: phrases("Sicher {one}.", "Besonders {one}."),
    3: phrases("Beginne mit {one}.", "Denke an {one}."),
    4: phrases("Beginne heute mit {one}.", "Es beginnt mit {one}."),
    5: phrases("Am Anfang steht immer {one}.", "Gutes beginnt oft mit {one}."),
    6: phrases("Ein klarer Blick auf {one} hilft.", "Am Ende kommt viel von {one}."),
    7: phrases("Bei {one} helfen meist kleine, sichere Schritte.",
        "Niemand lernt {one} an einem einzigen Tag."),
    8: phrases(
        "Alles andere folgt, sobald man {one} verstanden hat.",
        "Frag früh, hör zu und halte {one} einfach.",
    ),
}  # fmt: skip

HAIKU = {
    0: phrases("Stille liegt im Tal,", "Ein Blatt fällt herab,"),
    1: phrases("{a} im Morgenlicht,"),
    2: phrases("{a} im Morgen,", "{a} am Abend,"),
    3: phrases("{a} im Wind,"),
    4: phrases("{a} ruht,"),
    7: phrases("leise zieht der Wind vorbei,", "und der Abend wartet noch,"),
    5: phrases("dann beginnt die Nacht.", "alles schweigt und lauscht."),
}  # fmt: skip
